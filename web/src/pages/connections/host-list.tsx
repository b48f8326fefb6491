const SHOWN = 4;

/** Never cut: the end of a host name is the part that tells whose it is. */
export function HostList({ hosts }: { hosts: readonly string[] }) {
  if (hosts.length === 0) return "Any site that it is told to visit";
  const more = hosts.slice(SHOWN);
  return (
    <>
      {hosts.slice(0, SHOWN).join(", ")}
      {more.length > 0 && (
        <details className="disclosure">
          <summary>and {more.length} more</summary>
          {more.join(", ")}
        </details>
      )}
    </>
  );
}
