/** Names that differ: a second "Total" becomes "Total 2", and an empty one says where it stands. */
export function distinguish(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name, index) => {
    const plain = name === "" ? `column ${index + 1}` : name;
    const times = (seen.get(plain) ?? 0) + 1;
    seen.set(plain, times);
    return times === 1 ? plain : `${plain} ${times}`;
  });
}
