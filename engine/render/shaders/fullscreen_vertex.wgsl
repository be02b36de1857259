// The vertex stage of a pass over the whole target.
#include "fullscreen.wgsl"

@vertex
fn vertex(@builtin(vertex_index) index: u32) -> Fullscreen {
    return fullscreen_triangle(index, 0.0);
}
