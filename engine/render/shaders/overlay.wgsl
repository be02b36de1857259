// Lines with a width in pixels, and triangles, in their own colours.
#include "frame.wgsl"

struct OverlayOut {
    @builtin(position) position: vec4<f32>,
    @location(0) color: vec4<f32>,
}

// A line that crosses the near plane is cut there, else its far end would flip over.
fn cut(clip: vec4<f32>, other: vec4<f32>) -> vec4<f32> {
    let room = clip.w - clip.z;
    let other_room = other.w - other.z;
    if (room >= 0.0 || other_room <= room) {
        return clip;
    }
    return mix(clip, other, min(room / (room - other_room) + 1e-5, 1.0));
}

@vertex
fn line_vertex(
    @builtin(vertex_index) index: u32,
    @location(0) a: vec4<f32>, @location(1) a_color: vec4<f32>,
    @location(2) b: vec4<f32>, @location(3) b_color: vec4<f32>,
) -> OverlayOut {
    let start = vec4<f32>(a.xyz, 1.0) * frame.clip_from_world;
    let end = vec4<f32>(b.xyz, 1.0) * frame.clip_from_world;
    let p = cut(start, end);
    let q = cut(end, start);
    let half_size = frame.viewport * 0.5;
    let along = (q.xy / q.w - p.xy / p.w) * half_size;
    let size = length(along);
    let direction = select(vec2<f32>(1.0, 0.0), along / max(size, 1e-6), size > 1e-6);
    let side = vec2<f32>(-direction.y, direction.x) * select(
        -0.5, 0.5, index == 1u || index == 4u || index == 5u);
    let at_end = index == 2u || index == 3u || index == 5u;
    var out: OverlayOut;
    out.position = select(p, q, at_end);
    let offset = side * select(a.w, b.w, at_end) / half_size;
    out.position += vec4<f32>(offset * out.position.w, 0.0, 0.0);
    out.color = select(a_color, b_color, at_end);
    return out;
}

@vertex
fn triangle_vertex(
    @location(0) position: vec4<f32>, @location(1) color: vec4<f32>,
) -> OverlayOut {
    return OverlayOut(vec4<f32>(position.xyz, 1.0) * frame.clip_from_world, color);
}

@fragment
fn fragment(in: OverlayOut) -> @location(0) vec4<f32> {
    return in.color;
}
