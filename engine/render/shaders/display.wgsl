// What a surface's light becomes in the target that it is drawn into.
#if SCENE_LINEAR
// As it is, for what reads it as light.
fn display(light: vec3<f32>) -> vec3<f32> {
    return max(light, vec3<f32>(0.0));
}
#else
#if COMPRESSED
#include "compressed.wgsl"

// Under the exposure, its range compressed, for what tone maps it later.
fn display(light: vec3<f32>) -> vec3<f32> {
    return compressed(max(light, vec3<f32>(0.0)) * frame.exposure);
}
#else
#include "tonemap.wgsl"

fn display(light: vec3<f32>) -> vec3<f32> {
    return tonemap(max(light, vec3<f32>(0.0)) * frame.exposure);
}
#endif
#endif
