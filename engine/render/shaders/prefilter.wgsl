// One face of one level of an environment's reflection cube: the panorama seen through a GGX lobe
// of the level's roughness, its axis, normal and view all the same (B. Karis, "Real Shading in
// Unreal Engine 4", 2013). Samples read the mip level whose texels are as wide as their share.
#include "fullscreen_vertex.wgsl"
#include "panorama.wgsl"

struct Level {
    right: vec3<f32>,
    roughness: f32,
    up: vec3<f32>,
    pad0: f32,
    forward: vec3<f32>,
    pad1: f32,
}

@group(0) @binding(0) var<uniform> level: Level;
@group(0) @binding(1) var panorama: texture_2d<f32>;
@group(0) @binding(2) var panorama_sampler: sampler;

const SAMPLES = 64u;
const PI = 3.14159265358979;

fn radical_inverse(index: u32) -> f32 {
    return f32(reverseBits(index)) * 2.3283064365386963e-10;
}

@fragment
fn fragment(in: Fullscreen) -> @location(0) vec4<f32> {
    let side = in.uv * 2.0 - 1.0;
    let axis = normalize(level.forward + level.right * side.x - level.up * side.y);
    let size = vec2<f32>(textureDimensions(panorama, 0));
    if (level.roughness == 0.0) {
        return textureSampleLevel(panorama, panorama_sampler, panorama_uv(axis), 0.0);
    }
    let helper = select(vec3<f32>(0.0, 1.0, 0.0), vec3<f32>(1.0, 0.0, 0.0), abs(axis.y) > 0.9);
    let tangent = normalize(cross(helper, axis));
    let bitangent = cross(axis, tangent);
    let alpha = level.roughness * level.roughness;
    let a2 = alpha * alpha;
    let texel_angle = 4.0 * PI / (size.x * size.y);
    var light = vec3<f32>(0.0);
    var weight = 0.0;
    for (var k = 0u; k < SAMPLES; k++) {
        let u = (f32(k) + 0.5) / f32(SAMPLES);
        let turn = 2.0 * PI * radical_inverse(k);
        let cos_h = sqrt((1.0 - u) / (1.0 + (a2 - 1.0) * u));
        let sin_h = sqrt(max(1.0 - cos_h * cos_h, 0.0));
        let half_vector =
            tangent * (sin_h * cos(turn)) + bitangent * (sin_h * sin(turn)) + axis * cos_h;
        let towards_light = reflect(-axis, half_vector);
        let n_dot_l = dot(axis, towards_light);
        if (n_dot_l <= 0.0) {
            continue;
        }
        let spread = cos_h * cos_h * (a2 - 1.0) + 1.0;
        // Of the light's direction: D n.h / (4 v.h), where v = n.
        let density = a2 / (PI * spread * spread) / 4.0;
        let angle = 1.0 / (f32(SAMPLES) * density);
        let mip = max(0.5 * log2(angle / texel_angle) + 0.5, 0.0);
        let texel =
            textureSampleLevel(panorama, panorama_sampler, panorama_uv(towards_light), mip);
        light += texel.rgb * n_dot_l;
        weight += n_dot_l;
    }
    return vec4<f32>(light / max(weight, 1e-6), 1.0);
}
