// The share of its hemisphere that each point sees: cosine weighted, between the horizons of a few
// slices through it (Jimenez et al. 2016; the form of the integral follows XeGTAO).
#include "fullscreen_vertex.wgsl"
#include "occlusion_look.wgsl"

@group(0) @binding(2) var distances: texture_2d<u32>;

const PI = 3.14159265;
const SLICES = 2;
const STEPS = 4;
// Share of the radius over which what hides a point fades out.
const FADE = 0.6;
const LEAST_STEP = 1.0;
// Sine of how far above the surface something has to be, so that a plane does not hide itself.
const LEAST_RISE = 0.02;

fn distance_at(pixel: vec2<i32>) -> f32 {
    return bitcast<f32>(textureLoad(distances, pixel, 0).r);
}

// Position in view space: x right, y up, z into the picture.
fn place(pixel: vec2<i32>, distance: f32) -> vec3<f32> {
    let uv = (vec2<f32>(pixel) + 0.5) / look.size;
    let side = vec2<f32>(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0) * look.extent;
    return vec3<f32>(side * mix(distance, 1.0, look.parallel), distance);
}

// Along the neighbour that is nearer in depth, so that no edge bends it.
fn slope(pixel: vec2<i32>, step: vec2<i32>, here: vec3<f32>) -> vec3<f32> {
    let last = vec2<i32>(look.size) - 1;
    let low = max(pixel - step, vec2<i32>(0));
    let high = min(pixel + step, last);
    let before = here - place(low, distance_at(low));
    let after = place(high, distance_at(high)) - here;
    let is_first = all(low == pixel);
    let is_last = all(high == pixel);
    return select(before, after, is_first || (!is_last && abs(after.z) < abs(before.z)));
}

// A point of a surface: where it is, where the viewer is from there, how far it looks around.
struct Seen {
    here: vec3<f32>,
    view: vec3<f32>,
    normal: vec3<f32>,
    radius: f32,
}

// Every pixel of a block of four by four looks along others; smoothing joins them.
fn turn(pixel: vec2<i32>) -> vec2<f32> {
    let cell = vec2<u32>(pixel) & vec2<u32>(3u);
    let slice = ((cell.x ^ cell.y) * 4u + cell.y) & 15u;
    let step = (cell.x * 3u + cell.y * 5u) & 3u;
    return vec2<f32>((f32(slice) + 0.5) / 16.0, (f32(step) + 0.5) / 4.0);
}

// Raises a horizon to what one sample hides.
fn raised(horizon: f32, lowest: f32, pixel: vec2<i32>, seen: Seen) -> f32 {
    if (any(pixel < vec2<i32>(0)) || any(pixel >= vec2<i32>(look.size))) {
        return horizon;
    }
    let distance = distance_at(pixel);
    let offset = place(pixel, distance) - seen.here;
    let far = max(length(offset), 1e-6 * seen.here.z);
    let way = offset / far;
    let near = saturate((seen.radius - far) / (FADE * seen.radius));
    let above = saturate((dot(way, seen.normal) - LEAST_RISE) / (2.0 * LEAST_RISE));
    let hides = select(0.0, near * above, distance > 0.0);
    return max(horizon, mix(lowest, dot(way, seen.view), hides));
}

fn arc(horizon: f32, bend: f32, cosine: f32) -> f32 {
    return 0.25 * (cosine + 2.0 * horizon * sin(bend) - cos(2.0 * horizon - bend));
}

@fragment
fn fragment(in: Fullscreen) -> @location(0) vec4<f32> {
    let pixel = vec2<i32>(in.position.xy);
    let distance = distance_at(pixel);
    let per_metre = 0.5 * look.size.y / (look.extent.y * mix(distance, 1.0, look.parallel));
    let reach = min(look.radius * per_metre, 0.25 * look.size.y);
    if (distance <= 0.0) {
        return vec4<f32>(1.0, 0.0, 0.0, 0.0);
    }
    let known = log2(distance);
    if (reach < LEAST_STEP) {
        return vec4<f32>(1.0, known, 0.0, 0.0);
    }
    var seen: Seen;
    seen.here = place(pixel, distance);
    seen.radius = reach / per_metre;
    seen.view = mix(normalize(-seen.here), vec3<f32>(0.0, 0.0, -1.0), look.parallel);
    let normal = normalize(cross(
        slope(pixel, vec2<i32>(1, 0), seen.here), slope(pixel, vec2<i32>(0, 1), seen.here)));
    seen.normal = select(normal, -normal, dot(normal, seen.view) < 0.0);
    let turned = turn(pixel);
    var open = 0.0;
    var all_open = 0.0;
    for (var slice = 0; slice < SLICES; slice++) {
        let angle = (f32(slice) + turned.x) * (PI / f32(SLICES));
        let along = vec2<f32>(cos(angle), sin(angle));
        let level = vec3<f32>(along, 0.0);
        let upright = level - dot(level, seen.view) * seen.view;
        let axis = normalize(cross(upright, seen.view));
        let flat = seen.normal - axis * dot(seen.normal, axis);
        let share = length(flat);
        let cosine = clamp(dot(flat, seen.view) / max(share, 1e-6), 0.0, 1.0);
        let bend = select(-1.0, 1.0, dot(upright, flat) >= 0.0) * acos(cosine);
        let lowest = vec2<f32>(cos(bend + 0.5 * PI), cos(bend - 0.5 * PI));
        var horizon = lowest;
        for (var step = 0; step < STEPS; step++) {
            // In squares, as what is near hides most.
            let part = (f32(step) + turned.y) / f32(STEPS);
            let far = max(part * part * reach, LEAST_STEP + f32(step));
            let away = vec2<i32>(round(far * vec2<f32>(along.x, -along.y)));
            horizon.x = raised(horizon.x, lowest.x, pixel + away, seen);
            horizon.y = raised(horizon.y, lowest.y, pixel - away, seen);
        }
        open += share * (arc(-acos(horizon.y), bend, cosine) + arc(acos(horizon.x), bend, cosine));
        all_open += share * (cosine + bend * sin(bend));
    }
    return vec4<f32>(saturate(open / all_open), known, 0.0, 0.0);
}
