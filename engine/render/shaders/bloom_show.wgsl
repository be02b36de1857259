// Light and what has spread of it on the way to the display, over the background.
#include "fullscreen_vertex.wgsl"
#include "compressed.wgsl"
#include "tonemap.wgsl"

struct Octave {
    share: f32,
    strength: f32,
}

@group(0) @binding(0) var<uniform> octave: Octave;
@group(0) @binding(1) var source_sampler: sampler;
@group(0) @binding(2) var light_texture: texture_2d<f32>;
@group(0) @binding(3) var bloom_texture: texture_2d<f32>;

@fragment
fn fragment(in: Fullscreen) -> @location(0) vec4<f32> {
    let found = textureLoad(light_texture, vec2<i32>(in.position.xy), 0);
    let cover = saturate(found.a);
    let spread = octave.strength
        * textureSampleLevel(bloom_texture, source_sampler, in.uv, 0.0).rgb;
    let light = expanded(found.rgb / max(cover, 1e-4));
    let shown = cover * saturate(tonemap(light + spread))
        + (1.0 - cover) * saturate(tonemap(spread));
    return vec4<f32>(shown, cover);
}
