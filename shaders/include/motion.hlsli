// What a motion-vector vertex program hands to the rasteriser. SV_Position is CURRENT_CLIP.

struct Motion
{
    float4 position : SV_Position;
    float4 current : CURRENT_CLIP;
    float4 before : PREVIOUS_CLIP;
};

void store_motion(uint vertex, uint instance, Motion m)
{
    uint at = output_start(vertex, instance, 12);
    store(at, m.position);
    store(at + 16, m.current);
    store(at + 32, m.before);
}
