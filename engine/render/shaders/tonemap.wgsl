// From exposed scene-linear light to display-linear light; the target encodes sRGB.

#if TONEMAP_NEUTRAL
// Khronos PBR Neutral: base colours under grey light come out as they are, highlights desaturate.
fn tonemap(light: vec3<f32>) -> vec3<f32> {
    let start = 0.8 - 0.04;
    let low = min(light.r, min(light.g, light.b));
    let offset = select(0.04, low - 6.25 * low * low, low < 0.08);
    let color = light - offset;
    let peak = max(color.r, max(color.g, color.b));
    if (peak < start) {
        return color;
    }
    let room = 1.0 - start;
    let new_peak = 1.0 - room * room / (peak + room - start);
    let fade = 1.0 - 1.0 / (0.15 * (peak - new_peak) + 1.0);
    return mix(color * (new_peak / peak), vec3<f32>(new_peak), fade);
}
#endif

#if TONEMAP_AGX
// AgX by T. Sobotka: into a rotated gamut, a log curve over 16.5 stops, a sigmoid (polynomial fit
// of the default contrast by B. Wrensch), and back.
const REC2020_FROM_SRGB = mat3x3<f32>(
    0.6274, 0.0691, 0.0164, 0.3293, 0.9195, 0.0880, 0.0433, 0.0113, 0.8956);
const SRGB_FROM_REC2020 = mat3x3<f32>(
    1.6605, -0.1246, -0.0182, -0.5876, 1.1329, -0.1006, -0.0728, -0.0083, 1.1187);
const AGX_INSET = mat3x3<f32>(
    0.856627153315983, 0.137318972929847, 0.11189821299995,
    0.0951212405381588, 0.761241990602591, 0.0767994186031903,
    0.0482516061458583, 0.101439036467562, 0.811302368396859);
const AGX_OUTSET = mat3x3<f32>(
    1.1271005818144368, -0.1413297634984383, -0.14132976349843826,
    -0.11060664309660323, 1.157823702216272, -0.11060664309660294,
    -0.016493938717834573, -0.016493938717834257, 1.2519364065950405);
const AGX_MIN_EV = -12.47393;
const AGX_MAX_EV = 4.026069;

fn tonemap(light: vec3<f32>) -> vec3<f32> {
    let inset = max(AGX_INSET * (REC2020_FROM_SRGB * light), vec3<f32>(1e-10));
    let x = saturate((log2(inset) - AGX_MIN_EV) / (AGX_MAX_EV - AGX_MIN_EV));
    let x2 = x * x;
    let x4 = x2 * x2;
    let curved = 15.5 * x4 * x2 - 40.14 * x4 * x + 31.96 * x4 - 6.868 * x2 * x + 0.4298 * x2
        + 0.1191 * x - 0.00232;
    let display = pow(max(AGX_OUTSET * curved, vec3<f32>(0.0)), vec3<f32>(2.2));
    return saturate(SRGB_FROM_REC2020 * display);
}
#endif

#if TONEMAP_NONE
fn tonemap(light: vec3<f32>) -> vec3<f32> {
    return light;
}
#endif
