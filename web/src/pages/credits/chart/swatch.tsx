/** The colour of an application, beside its name. */
export function Swatch({ color }: { color: string }) {
  return (
    <svg width={10} height={10} aria-hidden="true" className="swatch">
      <rect width={10} height={10} rx={3} fill={color} />
    </svg>
  );
}
