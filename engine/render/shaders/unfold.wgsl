// A cube's smoothest level as an equirectangular picture, laid out as in `panorama.wgsl`.
#include "fullscreen_vertex.wgsl"

@group(0) @binding(1) var cube: texture_cube<f32>;
@group(0) @binding(2) var cube_sampler: sampler;

@fragment
fn fragment(in: Fullscreen) -> @location(0) vec4<f32> {
    let polar = in.uv.y * 3.141592653589793;
    let turn = (in.uv.x - 0.5) * 6.283185307179586;
    let direction = vec3<f32>(sin(polar) * cos(turn), cos(polar), sin(polar) * sin(turn));
    return textureSampleLevel(cube, cube_sampler, direction, 0.0);
}
