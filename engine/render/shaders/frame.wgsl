// What every pass of a picture can read: the camera, the instances and how to find them.
//
// Matrices arrive with their rows where WGSL expects columns (numpy stores rows), so a point is
// transformed by `point * matrix`.

struct Frame {
    clip_from_world: mat4x4<f32>,
    world_from_clip: mat4x4<f32>,
    view_from_world: mat4x4<f32>,
    camera_position: vec3<f32>,
    exposure: f32,
    // Unit vector towards the viewer of a parallel projection; zero for perspective.
    towards_viewer: vec3<f32>,
    light_count: u32,
    ambient: vec3<f32>,
    grid_step: f32,
    zenith: vec3<f32>,
    cascades: u32,
    horizon: vec3<f32>,
    // Where weighted layers of blended surfaces begin, and how deep they go.
    layers_near: f32,
    ground: vec3<f32>,
    grid_extent: f32,
    // Share of the sky that is shown behind the scene.
    backdrop: vec3<f32>,
    layers_depth: f32,
    viewport: vec2<f32>,
    // Half of what is seen to each side, at a distance of one metre or in parallel.
    view_extent: vec2<f32>,
    // Spherical harmonics of an environment image (order: `environment_map.py`).
    irradiance: array<vec4<f32>, 9>,
    // Factor on the light that the image reflects.
    reflection_tint: vec3<f32>,
    // Pixels that a line of one logical pixel takes.
    line_scale: f32,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> instances: array<mat4x4<f32>>;
// Per instance: first joint or -1, first morph weight, number of weights, vertices of its mesh.
@group(0) @binding(2) var<storage, read> instance_info: array<vec4<i32>>;
// Row in `instances` of each drawn instance.
@group(0) @binding(3) var<storage, read> order: array<u32>;
@group(0) @binding(4) var<storage, read> joints: array<mat4x4<f32>>;
@group(0) @binding(5) var<storage, read> morph_weights: array<f32>;
