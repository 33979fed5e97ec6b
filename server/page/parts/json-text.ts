// Parses JSON that a user has typed, with a readable message if it is not valid.

export type ReadJson =
  | { readonly value: unknown; readonly error: null }
  | { readonly error: string }

export function readJson(text: string): ReadJson {
  try {
    return { value: JSON.parse(text) as unknown, error: null }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { error: `This is not valid JSON: ${error.message}` }
  }
}

/** Like `readJson`, but accepts only an object. */
export function readObject(text: string): ReadJson {
  const read = readJson(text)
  if (read.error !== null) return read
  const { value } = read
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? read : { error: 'All settings together are an object: { "name": value }.' }
}
