// Joins what four neighbours in a row have found, along surfaces and not over their edges.
#include "fullscreen_vertex.wgsl"
#include "occlusion_look.wgsl"

@group(0) @binding(2) var source: texture_2d<f32>;

@fragment
fn fragment(in: Fullscreen) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(in.position.xy);
    let last = vec2<i32>(look.size) - 1;
#if ACROSS
    let step = vec2<i32>(1, 0);
#else
    let step = vec2<i32>(0, 1);
#endif
    let here = textureLoad(source, pixel, 0).rg;
    var sum = vec2<f32>(here.r, 1.0);
    for (var k = -2; k <= 2; k++) {
        if (k != 0) {
            let at = clamp(pixel + k * step, vec2<i32>(0), last);
            let found = textureLoad(source, at, 0).rg;
            let near = saturate(1.0 - 8.0 * abs(found.g - here.g)) * select(1.0, 0.5, abs(k) == 2);
            sum += near * vec2<f32>(found.r, 1.0);
        }
    }
    let open = sum.x / sum.y;
#if ALONG
    return vec4<f32>(mix(1.0, open, look.strength), here.g, 0.0, 0.0);
#else
    return vec4<f32>(open, here.g, 0.0, 0.0);
#endif
}
