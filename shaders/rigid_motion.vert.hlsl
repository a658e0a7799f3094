// Movement of a rigid thing: POSITION0 x cbObjMatrix x the first view-projection against POSITION1 x cbPrevObjMatrix x
// the second (claim motion-program).
#include "include/draw.hlsli"
#include "include/previous.hlsli"
#include "include/motion.hlsli"

Motion main(float3 position : POSITION0, float3 position_before : POSITION1, uint vertex : SV_VertexID,
            uint number : SV_InstanceID)
{
    uint instance = number - draw.first_instance;
    uint first = first_entry(instance);
    Motion m;
    m.current = clip(0, apply(palette_entry(first), float4(position, 1.0)));
    m.before = clip(1, apply(previous_entry(first), float4(position_before, 1.0)));
    m.position = m.current;
    store_motion(vertex, instance, m);
    return m;
}
