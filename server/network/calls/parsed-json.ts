// Parses JSON of another instance, which may send anything.

/** Returns null for anything else; a schema checks the value. Copies shared memory first. */
export function parsedJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return null
  }
}
