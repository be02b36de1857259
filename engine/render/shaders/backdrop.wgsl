// An environment image behind everything, under the picture's exposure and tone mapping.
#include "fullscreen_vertex.wgsl"
#include "frame.wgsl"
#include "display.wgsl"
#include "panorama.wgsl"

@group(1) @binding(0) var panorama: texture_2d<f32>;
@group(1) @binding(1) var panorama_sampler: sampler;

@fragment
fn fragment(in: Fullscreen) -> @location(0) vec4<f32> {
    let ndc = vec2<f32>(in.uv.x * 2.0 - 1.0, 1.0 - in.uv.y * 2.0);
    let near = vec4<f32>(ndc, 1.0, 1.0) * frame.world_from_clip;
    let inner = vec4<f32>(ndc, 0.5, 1.0) * frame.world_from_clip;
    let ray = normalize(inner.xyz / inner.w - near.xyz / near.w);
    let light = textureSampleLevel(panorama, panorama_sampler, panorama_uv(ray), 0.0).rgb;
    return vec4<f32>(display(light), 1.0);
}
