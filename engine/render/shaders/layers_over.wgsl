// What weighted surfaces summed up, over the picture: their mean colour, as dense as all together.
#include "fullscreen_vertex.wgsl"

@group(0) @binding(0) var layers: texture_2d<f32>;
@group(0) @binding(1) var weights: texture_2d<f32>;

@fragment
fn fragment(in: Fullscreen) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(in.position.xy);
    let weight = textureLoad(weights, pixel, 0).r;
    if (weight <= 0.0) {
        discard;
    }
    let layer = textureLoad(layers, pixel, 0);
    return vec4<f32>(layer.rgb / weight, 1.0 - layer.a);
}
