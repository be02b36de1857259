// One mip level from the one above it: each texel is the average under it.
#include "fullscreen_vertex.wgsl"

@group(0) @binding(0) var source: texture_2d<f32>;
@group(0) @binding(1) var source_sampler: sampler;

@fragment
fn fragment(in: Fullscreen) -> @location(0) vec4<f32> {
    return textureSampleLevel(source, source_sampler, in.uv, 0.0);
}
