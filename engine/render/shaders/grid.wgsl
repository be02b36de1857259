// The grid: thin lines on y = 0 that fade with distance, the axes in colour. A parallel view along the
// ground would see that plane from its edge, so it gets the upright plane that it faces instead.
#include "fullscreen.wgsl"
#include "frame.wgsl"
#if COMPRESSED
#include "compressed.wgsl"
#endif

struct GridOut {
    @location(0) color: vec4<f32>,
    @builtin(frag_depth) depth: f32,
}

const X_COLOR = vec3<f32>(0.8879, 0.0887, 0.1049);
const Y_COLOR = vec3<f32>(0.1470, 0.5271, 0.0100);
const Z_COLOR = vec3<f32>(0.0723, 0.2623, 1.0);
const LINE_COLOR = vec3<f32>(0.075, 0.085, 0.115);

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> Fullscreen {
    return fullscreen_triangle(index, 0.5);
}

// The axis across the plane that is drawn: x 0, y 1, z 2.
fn across() -> u32 {
    let facing = abs(frame.towards_viewer);
    if (max(facing.x, facing.z) < 0.9999) {
        return 1u;
    }
    return select(2u, 0u, facing.x > facing.z);
}

// A point without its component across the plane.
fn on_plane(point: vec3<f32>, axis: u32) -> vec2<f32> {
    return vec2<f32>(select(point.x, point.y, axis == 0u), select(point.z, point.y, axis == 2u));
}

// How much of a pixel lines of a spacing cover.
fn line_cover(point: vec2<f32>, footprint: vec2<f32>, spacing: f32) -> f32 {
    let width = max(footprint / spacing, vec2<f32>(1e-6));
    let cell = abs(fract(point / spacing - 0.5) - 0.5) / width;
    let line = 1.0 - min(min(cell.x, cell.y), 1.0);
    // Lines closer than a few pixels would only make noise.
    return line * (1.0 - smoothstep(0.15, 0.5, max(width.x, width.y)));
}

@fragment
fn fragment(in: Fullscreen) -> GridOut {
    let ndc = vec2<f32>(in.uv.x * 2.0 - 1.0, 1.0 - in.uv.y * 2.0);
    let a4 = vec4<f32>(ndc, 1.0, 1.0) * frame.world_from_clip;
    let b4 = vec4<f32>(ndc, 0.5, 1.0) * frame.world_from_clip;
    let a = a4.xyz / a4.w;
    let ray = b4.xyz / b4.w - a;
    let axis = across();
    let t = -a[axis] / ray[axis];
    let hit = a + ray * t;
    let point = on_plane(hit, axis);
    let pixel = abs(dpdx(point)) + abs(dpdy(point));
    let footprint = max(vec2<f32>(1e-6), pixel * frame.line_scale);
    let distance = length(hit - frame.camera_position);
    let fade = 1.0 - smoothstep(0.25 * frame.grid_extent, frame.grid_extent, distance);
    let clip = vec4<f32>(hit, 1.0) * frame.clip_from_world;
    let depth = clip.z / clip.w;
    if (t <= 0.0 || fade <= 0.0 || clip.w <= 0.0 || depth > 1.0) {
        discard;
    }
    let fine = line_cover(point, footprint, frame.grid_step) * 0.35;
    let coarse = line_cover(point, footprint, frame.grid_step * 10.0) * 0.8;
    var color = LINE_COLOR;
    var alpha = max(fine, coarse) * fade;
    let near_axis = 1.0 - min(abs(point.yx) / (footprint.yx * 1.25), vec2<f32>(1.0));
    if (near_axis.x > 0.0 && near_axis.x >= near_axis.y) {
        color = select(X_COLOR, Y_COLOR, axis == 0u);
        alpha = max(alpha, near_axis.x * fade * 0.9);
    } else if (near_axis.y > 0.0) {
        color = select(Z_COLOR, Y_COLOR, axis == 2u);
        alpha = max(alpha, near_axis.y * fade * 0.9);
    }
#if COMPRESSED
    // Tone mapped with the surfaces that it lies between, where they are later.
    color = compressed(color);
#endif
    // Slightly towards the viewer's far side, so that a floor at y = 0 hides the grid cleanly.
    return GridOut(vec4<f32>(color, alpha), depth * 0.9999);
}
