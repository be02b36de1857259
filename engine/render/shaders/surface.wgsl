// The picture itself: a shaded surface.
#include "varyings.wgsl"
#include "varying_uv.wgsl"
#include "display.wgsl"
#include "brdf.wgsl"
#include "lights.wgsl"
#if SHADOW_MAPS
#include "shadow_lookup.wgsl"
#endif

fn towards_viewer(position: vec3<f32>) -> vec3<f32> {
    if (any(frame.towards_viewer != vec3<f32>(0.0))) {
        return frame.towards_viewer;
    }
    return normalize(frame.camera_position - position);
}

#if FRAMED
// Tangent and bitangent; not of unit length where they come from the screen.
struct SurfaceFrame {
    tangent: vec3<f32>,
    bitangent: vec3<f32>,
}

// Without tangents the frame comes from how position and UV change over the screen; y of the
// screen points down, which turns both axes. V points down a texture, a bitangent up.
fn surface_frame(in: Varyings, normal: vec3<f32>, facing: f32, uv: vec2<f32>) -> SurfaceFrame {
#if TANGENTS
    let tangent = normalize(in.tangent.xyz) * facing;
    let bitangent = normalize(cross(normalize(in.normal), in.tangent.xyz) * in.tangent.w) * facing;
    return SurfaceFrame(tangent, bitangent);
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
    return SurfaceFrame(tangent * scale, bitangent * -scale);
#endif
}

// The direction that a texel of a normal map names.
fn mapped_normal(frame_at: SurfaceFrame, normal: vec3<f32>, texel: vec3<f32>, scale: f32) -> vec3<f32> {
    let direction = texel * 2.0 - 1.0;
    let bent = vec3<f32>(direction.xy * scale, direction.z);
    return normalize(
        frame_at.tangent * bent.x + frame_at.bitangent * bent.y + normal * bent.z);
}
#endif

#if SKY_LIGHT
#include "sky_light.wgsl"
#endif
// What is seen through takes no part, nor does glass, which reads what is behind it instead.
#if OCCLUDED
#if !BLEND
#if !TRANSMISSION
#include "screen_occlusion.wgsl"
#endif
#endif
#endif
#if LAYERS
#include "surface_layers.wgsl"
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
    let frame_at = surface_frame(in, smooth_normal, facing, normal_uv(uv));
    let bump = textureSample(normal_texture, normal_sampler, normal_uv(uv)).xyz;
    normal = mapped_normal(frame_at, smooth_normal, bump, material.normal_scale);
#endif
    var occlusion = 1.0;
#if OCCLUSION_TEXTURE
    let open = textureSample(occlusion_texture, occlusion_sampler, occlusion_uv(uv)).r;
    occlusion = 1.0 + material.occlusion_strength * (open - 1.0);
#endif
#if OCCLUDED
#if !BLEND
#if !TRANSMISSION
    occlusion *= screen_occlusion(in.clip.xy, in.position);
#endif
#endif
#endif
    var light = material.emissive;
#if EMISSIVE_TEXTURE
    light *= textureSample(emissive_texture, emissive_sampler, emissive_uv(uv)).rgb;
#endif
    let blur = max(bend.x, max(bend.y, bend.z));
#if LAYERS
    var surface = make_reflector(
        normal, towards_viewer(in.position), base_color, metallic,
        min(max(roughness, 0.045) + blur, 1.0));
#if SPECULAR
    set_specular(&surface, uv, base_color, metallic);
#endif
#if IRIDESCENCE
    set_film(&surface, uv, base_color, metallic);
#endif
    surface.compensation = 1.0 + surface.f0 * (1.0 / (surface.dfg.x + surface.dfg.y) - 1.0);
#if ANISOTROPY
#if NORMAL_TEXTURE
    set_anisotropy(&surface, uv, frame_at);
#else
    set_anisotropy(&surface, uv, surface_frame(in, smooth_normal, facing, uv.uv0));
#endif
#endif
#if SHEEN
    set_sheen(&surface, uv);
#endif
#if TRANSMISSION
    light += let_through(&surface, uv, in.position, local_scale(in));
#endif
#if CLEARCOAT
    var coat_normal = smooth_normal;
#if CLEARCOAT_NORMAL_TEXTURE
    let coat_uv = extra_uv(uv, $CLEARCOAT_NORMAL_TEXTURE);
    let coat_bump = textureSample(
        extra_texture_$CLEARCOAT_NORMAL_TEXTURE, extra_sampler_$CLEARCOAT_NORMAL_TEXTURE,
        coat_uv).xyz;
    coat_normal = mapped_normal(
        surface_frame(in, smooth_normal, facing, coat_uv), smooth_normal, coat_bump,
        material.layers.clearcoat_normal_scale);
#endif
    set_coat(&surface, uv, coat_normal, blur);
    light *= surface.under_coat;
#endif
#else
    let surface = make_reflector(
        normal, towards_viewer(in.position), base_color, metallic,
        min(max(roughness, 0.045) + blur, 1.0));
#endif
    light += reflect_irradiance(surface, frame.ambient) * occlusion;
#if SKY_LIGHT
    light += sky_light(surface, occlusion);
#endif
#if SUN
    // The first light is directional: no falloff, and several shadow maps.
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
        var irradiance = incoming.irradiance;
#if LOCAL_SHADOWS
        irradiance *= shadowed_light(
            lights[k], in.position, smooth_normal, incoming.towards_light);
#endif
        light += reflect_light(surface, incoming.towards_light, irradiance);
    }
#endif
    return light;
}

fn shown(in: Varyings, front_facing: bool) -> vec4<f32> {
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

#if WEIGHTED
// Surfaces without an order (McGuire and Bavoil, Weighted Blended Order-Independent Transparency):
// what lies deeper weighs as much less as surfaces like itself in between would leave of it.
struct Layer {
    @location(0) light: vec4<f32>,
    @location(1) weight: f32,
}

@fragment
fn fragment(in: Varyings, @builtin(front_facing) front_facing: bool) -> Layer {
    let color = saturate(shown(in, front_facing));
    let depth = -(vec4<f32>(in.position, 1.0) * frame.view_from_world).z;
    let place = saturate((depth - frame.layers_near) / frame.layers_depth);
    let weight = color.a * pow(max(1.0 - color.a, 0.1), 2.0 * place);
    return Layer(vec4<f32>(color.rgb * weight, color.a), weight);
}
#else
@fragment
fn fragment(in: Varyings, @builtin(front_facing) front_facing: bool) -> @location(0) vec4<f32> {
    return shown(in, front_facing);
}
#endif
