// A finished picture into a target that doesn't encode sRGB by itself.
#include "fullscreen_vertex.wgsl"

@group(0) @binding(0) var picture: texture_2d<f32>;

@fragment
fn fragment(in: Fullscreen) -> @location(0) vec4<f32> {
    let linear = textureLoad(picture, vec2<i32>(in.position.xy), 0);
    let curved = 1.055 * pow(linear.rgb, vec3<f32>(1.0 / 2.4)) - 0.055;
    let straight = linear.rgb * 12.92;
    return vec4<f32>(select(curved, straight, linear.rgb <= vec3<f32>(0.0031308)), linear.a);
}
