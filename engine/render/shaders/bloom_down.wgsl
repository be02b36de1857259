// Half of a picture; the first time only what is brighter than the display's white.
#include "fullscreen_vertex.wgsl"
#if FIRST
#include "compressed.wgsl"
#endif

@group(0) @binding(1) var source_sampler: sampler;
@group(0) @binding(2) var source: texture_2d<f32>;

fn texel(uv: vec2<f32>) -> vec3<f32> {
    let found = textureSampleLevel(source, source_sampler, uv, 0.0);
#if FIRST
    if (found.a <= 0.0) {
        return vec3<f32>(0.0);
    }
    // A single bright pixel shall not outshine all others.
    let light = min(expanded(found.rgb / found.a), vec3<f32>(32.0)) * found.a;
    // From half of white on, softly.
    let bright = max(light.r, max(light.g, light.b));
    let soft = clamp(bright - 0.5, 0.0, 1.0);
    return light * (max(0.5 * soft * soft, bright - 1.0) / max(bright, 1e-4));
#else
    return found.rgb;
#endif
}

// Thirteen samples in five overlapping squares, so that nothing flickers between texels (Jimenez,
// Next Generation Post Processing in Call of Duty, 2014).
@fragment
fn fragment(in: Fullscreen) -> @location(0) vec4<f32> {
    let step = 1.0 / vec2<f32>(textureDimensions(source));
    var light = 0.125 * texel(in.uv);
    for (var k = 0; k < 4; k++) {
        let corner = vec2<f32>(f32(k & 1), f32(k >> 1)) * 2.0 - 1.0;
        light += 0.125 * texel(in.uv + corner * step);
        light += 0.03125 * texel(in.uv + 2.0 * corner * step);
        let side = select(vec2<f32>(corner.x, 0.0), vec2<f32>(0.0, corner.x), corner.y > 0.0);
        light += 0.0625 * texel(in.uv + 2.0 * side * step);
    }
    return vec4<f32>(light, 1.0);
}
