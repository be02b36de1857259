// The picture itself: a shaded surface.
#include "varyings.wgsl"
#include "varying_uv.wgsl"
#include "tonemap.wgsl"
#include "brdf.wgsl"
#include "lights.wgsl"
#include "sky.wgsl"
#if SHADOWS
#include "shadow_lookup.wgsl"
#endif

fn towards_viewer(position: vec3<f32>) -> vec3<f32> {
    if (any(frame.towards_viewer != vec3<f32>(0.0))) {
        return frame.towards_viewer;
    }
    return normalize(frame.camera_position - position);
}

#if NORMAL_TEXTURE
// The normal map's direction in the world. Without tangents the frame comes from how position and
// UV change over the screen; y of the screen points down, which turns both axes.
fn mapped_normal(in: Varyings, normal: vec3<f32>, facing: f32, uv: vec2<f32>) -> vec3<f32> {
    let texel = textureSample(normal_texture, normal_sampler, uv).xyz * 2.0 - 1.0;
    let bent = vec3<f32>(texel.xy * material.normal_scale, texel.z);
#if TANGENTS
    let tangent = normalize(in.tangent.xyz) * facing;
    let bitangent = normalize(cross(normalize(in.normal), in.tangent.xyz) * in.tangent.w) * facing;
    return normalize(tangent * bent.x + bitangent * bent.y + normal * bent.z);
#else
    let q0 = dpdx(in.position);
    let q1 = -dpdy(in.position);
    let st0 = dpdx(uv);
    let st1 = -dpdy(uv);
    let q1_perp = cross(q1, normal);
    let q0_perp = cross(normal, q0);
    let tangent = q1_perp * st0.x + q0_perp * st1.x;
    let bitangent = q1_perp * st0.y + q0_perp * st1.y;
    let size = max(dot(tangent, tangent), dot(bitangent, bitangent));
    let scale = select(inverseSqrt(size), 0.0, size == 0.0) * facing;
    return normalize(
        tangent * (scale * bent.x) - bitangent * (scale * bent.y) + normal * bent.z);
#endif
}
#endif

#if SKY_LIGHT
fn sky_light(surface: Reflector, occlusion: f32) -> vec3<f32> {
    let height = reflect(-surface.view, surface.normal).y;
    let single = surface.f0 * surface.dfg.x + surface.dfg.y;
    let missing = 1.0 - (surface.dfg.x + surface.dfg.y);
    let average = surface.f0 + (1.0 - surface.f0) / 21.0;
    let multiple = single * average / (1.0 - missing * average) * missing;
    let mean = sky_mean(surface.normal.y);
    let specular = single * sky_reflection(height, surface.roughness) + multiple * mean;
    return occlusion * (specular + surface.diffuse * (1.0 - dielectric_albedo(surface)) * mean);
}
#endif

fn shade(in: Varyings, front_facing: bool, uv: SurfaceUv, base_color: vec3<f32>) -> vec3<f32> {
    let facing = select(-1.0, 1.0, front_facing);
#if FLAT
    // y of the screen points down, so this is towards the viewer.
    let smooth_normal = normalize(cross(dpdy(in.position), dpdx(in.position)));
#else
    let smooth_normal = normalize(in.normal) * facing;
#endif
    let turned = vec4<f32>(smooth_normal, 0.0) * frame.view_from_world;
    let bend = max(abs(dpdx(turned.xyz)), abs(dpdy(turned.xyz)));
    var metallic = material.metallic;
    var roughness = material.roughness;
#if METALLIC_ROUGHNESS_TEXTURE
    let texel = textureSample(
        metallic_roughness_texture, metallic_roughness_sampler, metallic_roughness_uv(uv));
    metallic *= texel.b;
    roughness *= texel.g;
#endif
    var normal = smooth_normal;
#if NORMAL_TEXTURE
    normal = mapped_normal(in, smooth_normal, facing, normal_uv(uv));
#endif
    var occlusion = 1.0;
#if OCCLUSION_TEXTURE
    let open = textureSample(occlusion_texture, occlusion_sampler, occlusion_uv(uv)).r;
    occlusion = 1.0 + material.occlusion_strength * (open - 1.0);
#endif
    var light = material.emissive;
#if EMISSIVE_TEXTURE
    light *= textureSample(emissive_texture, emissive_sampler, emissive_uv(uv)).rgb;
#endif
    let blurred = min(max(roughness, 0.045) + max(bend.x, max(bend.y, bend.z)), 1.0);
    let surface = make_reflector(
        normal, towards_viewer(in.position), base_color, metallic, blurred);
    light += reflect_irradiance(surface, frame.ambient) * occlusion;
#if SKY_LIGHT
    light += sky_light(surface, occlusion);
#endif
#if SUN
    // The first light is directional: no falloff, and the only one with a shadow.
    let towards_sun = -lights[0].direction;
    var sunlight = lights[0].color;
#if SHADOWS
    sunlight *= sunlit(in.position, smooth_normal, towards_sun);
#endif
    light += reflect_light(surface, towards_sun, sunlight);
#endif
#if MORE_LIGHTS
#if SUN
    let first = 1u;
#else
    let first = 0u;
#endif
    for (var k = first; k < frame.light_count; k++) {
        let incoming = incoming_light(lights[k], in.position);
        light += reflect_light(surface, incoming.towards_light, incoming.irradiance);
    }
#endif
    return light;
}

@fragment
fn fragment(in: Varyings, @builtin(front_facing) front_facing: bool) -> @location(0) vec4<f32> {
    let uv = varying_uv(in);
    let color = surface_color(uv, varying_color(in));
#if VIEW_NORMALS
    let toward = normalize(in.normal) * select(-1.0, 1.0, front_facing);
    return vec4<f32>(pow(toward * 0.5 + 0.5, vec3<f32>(2.2)), 1.0);
#else
#if UNLIT
    let light = color.rgb;
#else
    let light = shade(in, front_facing, uv, color.rgb);
#endif
#if MASK
    if (color.a < material.alpha_cutoff) {
        discard;
    }
#endif
#if BLEND
    return vec4<f32>(display(light), color.a);
#else
    return vec4<f32>(display(light), 1.0);
#endif
#endif
}
