// Light of the surroundings on a surface, by the split sum with multiple bounces.

#if ENVIRONMENT
@group(0) @binding(13) var reflection_cube: texture_cube<f32>;

// Mean radiance of the hemisphere around a direction.
fn sky_mean(n: vec3<f32>) -> vec3<f32> {
    let c = frame.irradiance;
    let light = c[0] + c[1] * n.y + c[2] * n.z + c[3] * n.x + c[4] * (n.x * n.y)
        + c[5] * (n.y * n.z) + c[6] * (3.0 * n.z * n.z - 1.0) + c[7] * (n.x * n.z)
        + c[8] * (n.x * n.x - n.y * n.y);
    return max(light.rgb, vec3<f32>(0.0));
}

fn sky_reflection(direction: vec3<f32>, roughness: f32) -> vec3<f32> {
    let roughest = f32(textureNumLevels(reflection_cube) - 1u);
    let light = textureSampleLevel(
        reflection_cube, linear_sampler, direction, roughness * roughest).rgb;
    return light * frame.reflection_tint;
}
#else
#include "sky.wgsl"
#endif

fn sky_light(surface: Reflector, occlusion: f32) -> vec3<f32> {
    let missing = 1.0 - (surface.dfg.x + surface.dfg.y);
#if IRIDESCENCE
    let f0 = mix(surface.f0, schlick_f0(surface.film_fresnel, surface.n_dot_v), surface.film);
#else
    let f0 = surface.f0;
#endif
#if SPECULAR
    let single = f0 * surface.dfg.x + surface.f90 * surface.dfg.y;
#else
    let single = f0 * surface.dfg.x + surface.dfg.y;
#endif
    let average = f0 + (1.0 - f0) / 21.0;
    let multiple = single * average / (1.0 - missing * average) * missing;
    let mean = sky_mean(surface.normal);
#if ANISOTROPY
    let mirrored = reflect(-surface.view, surface.bent_normal);
#else
    let mirrored = reflect(-surface.view, surface.normal);
#endif
    let specular = single * sky_reflection(mirrored, surface.roughness) + multiple * mean;
    var light = specular + surface.diffuse * (1.0 - dielectric_albedo(surface)) * mean;
#if SHEEN
    light *= sheen_share(surface, surface.sheen_albedo);
    light += surface.sheen_color * surface.sheen_albedo * mean;
#endif
#if CLEARCOAT
    let coat_mirrored = reflect(-surface.view, surface.coat_normal);
    let coat_dfg = split_sum(
        surface.coat_roughness, saturate(dot(surface.coat_normal, surface.view)));
    light = light * surface.under_coat + surface.coat * (0.04 * coat_dfg.x + coat_dfg.y)
        * sky_reflection(coat_mirrored, surface.coat_roughness);
#endif
    return occlusion * light;
}
