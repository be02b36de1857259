// What the vertex stage hands to the fragment stage, and nothing that this variant doesn't read.
#include "geometry.wgsl"

struct Varyings {
    @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
#if TEXTURED
    @location(2) uv0: vec2<f32>,
#if UV1
    @location(3) uv1: vec2<f32>,
#endif
#endif
#if COLORS
    @location(4) color: vec4<f32>,
#endif
#if TANGENTS
    @location(5) tangent: vec4<f32>,
#endif
    @location(6) @interpolate(flat) row: u32,
}

@vertex
fn vertex(in: VertexIn) -> Varyings {
    let placed = place(in);
    var out: Varyings;
    out.clip = placed.clip;
    out.position = placed.position;
    out.normal = placed.normal;
    out.row = placed.row;
#if TEXTURED
    out.uv0 = in.uv0;
#if UV1
    out.uv1 = in.uv1;
#endif
#endif
#if COLORS
    out.color = in.color;
#endif
#if TANGENTS
    out.tangent = vec4<f32>(placed.tangent, in.tangent.w);
#endif
    return out;
}

fn varying_color(in: Varyings) -> vec4<f32> {
#if COLORS
    return in.color;
#else
    return vec4<f32>(1.0);
#endif
}
