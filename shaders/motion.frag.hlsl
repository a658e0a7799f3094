// Screen-space movement in UV units a frame; the encoding is assumed (draw model).

float2 main(float4 position : SV_Position, float4 current : CURRENT_CLIP, float4 before : PREVIOUS_CLIP)
    : SV_Target0
{
    return (current.xy / current.w - before.xy / before.w) * float2(0.5, -0.5);
}
