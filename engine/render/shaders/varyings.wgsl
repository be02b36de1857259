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
#if VOLUME
    @location(7) @interpolate(flat) local_scale: vec3<f32>,
#endif
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
#if VOLUME
    let columns = transpose(instances[placed.row]);
    out.local_scale = vec3<f32>(length(columns[0].xyz), length(columns[1].xyz), length(columns[2].xyz));
#endif
    return out;
}

// Lengths of the world's image of the local axes.
fn local_scale(in: Varyings) -> vec3<f32> {
#if VOLUME
    return in.local_scale;
#else
    return vec3<f32>(1.0);
#endif
}

fn varying_color(in: Varyings) -> vec4<f32> {
#if COLORS
    return in.color;
#else
    return vec4<f32>(1.0);
#endif
}
