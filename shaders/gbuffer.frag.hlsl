// The world normal as interpolated, not renormalised; the fourth channel is 0.

float4 main(float4 position : SV_Position, float3 normal : NORMAL) : SV_Target0
{
    return float4(normal, 0.0);
}
