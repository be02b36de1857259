// The gradient sky behind everything; shown without exposure or tone mapping.
#include "fullscreen_vertex.wgsl"
#include "frame.wgsl"
#include "sky.wgsl"

// Screen-door noise of less than one step of an 8-bit channel hides the bands of a slow gradient.
fn dither(pixel: vec2<f32>) -> f32 {
    let magic = vec3<f32>(0.06711056, 0.00583715, 52.9829189);
    return fract(magic.z * fract(dot(pixel, magic.xy))) - 0.5;
}

@fragment
fn fragment(in: Fullscreen) -> @location(0) vec4<f32> {
    let ndc = vec2<f32>(in.uv.x * 2.0 - 1.0, 1.0 - in.uv.y * 2.0);
    let near = vec4<f32>(ndc, 1.0, 1.0) * frame.world_from_clip;
    let inner = vec4<f32>(ndc, 0.5, 1.0) * frame.world_from_clip;
    let ray = normalize(inner.xyz / inner.w - near.xyz / near.w);
    let color = mix(sky_radiance(ray.y), frame.horizon, 0.5) * frame.backdrop;
    return vec4<f32>(color + dither(in.position.xy) * 0.02 * (color + 0.002), 1.0);
}
