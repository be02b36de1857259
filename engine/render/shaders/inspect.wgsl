// A surface as data: its tangents, UVs, level of detail, or how often its pixel is drawn.
#include "geometry.wgsl"

struct Inspected {
    @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) tangent: vec3<f32>,
    @location(3) uv: vec2<f32>,
    @location(4) @interpolate(flat) level: u32,
}

@vertex
fn vertex(in: VertexIn) -> Inspected {
    let placed = place(in);
    var out: Inspected;
    out.clip = placed.clip;
    out.position = placed.position;
    out.normal = placed.normal;
    out.tangent = placed.tangent;
    out.uv = in.uv0;
    out.level = order[in.instance] >> 28u;
    return out;
}

// Brighter where it faces the viewer, so that shapes stay readable in flat colours.
fn modelled(color: vec3<f32>, in: Inspected) -> vec3<f32> {
    var toward = frame.towards_viewer;
    if (all(toward == vec3<f32>(0.0))) {
        toward = normalize(frame.camera_position - in.position);
    }
    return color * (0.35 + 0.65 * abs(dot(normalize(in.normal), toward)));
}

// Directions as the usual colours; the target encodes sRGB.
fn direction_color(direction: vec3<f32>) -> vec3<f32> {
    return pow(normalize(direction) * 0.5 + 0.5, vec3<f32>(2.2));
}

fn level_color(level: u32) -> vec3<f32> {
    switch level {
        case 0u: { return vec3<f32>(0.45, 0.50, 0.55); }
        case 1u: { return vec3<f32>(0.10, 0.50, 0.16); }
        case 2u: { return vec3<f32>(0.70, 0.55, 0.05); }
        case 3u: { return vec3<f32>(0.80, 0.22, 0.04); }
        default: { return vec3<f32>(0.55, 0.06, 0.40); }
    }
}

fn checker_color(uv: vec2<f32>) -> vec3<f32> {
    let cell = vec2<i32>(floor(uv * 8.0));
    let light = select(0.25, 0.85, ((cell.x + cell.y) & 1) == 0);
    return light * mix(vec3<f32>(1.0), vec3<f32>(fract(uv), 0.4), 0.5);
}

@fragment
fn fragment(in: Inspected) -> @location(0) vec4<f32> {
#if VIEW_TANGENTS
#if TANGENTS
    return vec4<f32>(direction_color(in.tangent), 1.0);
#else
    return vec4<f32>(modelled(vec3<f32>(0.02), in), 1.0);
#endif
#endif
#if VIEW_UV
    return vec4<f32>(modelled(checker_color(in.uv), in), 1.0);
#endif
#if VIEW_LOD
    return vec4<f32>(modelled(level_color(in.level), in), 1.0);
#endif
#if VIEW_OVERDRAW
    return vec4<f32>(0.09, 0.035, 0.008, 1.0);
#endif
}
