// Converts values of formats to JSON: bytes and sets become their size, times stay unchanged.

/** Returns a copy of `value` for `--json`; long texts stay whole. */
export function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: value.length }
  if (value instanceof Float64Array) return [...value]
  if (value instanceof Map) return Object.fromEntries([...value].map(([k, v]) => [k, plain(v)]))
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  if ('toArray' in value && 'size' in value) return { ids: value.size }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]))
}
