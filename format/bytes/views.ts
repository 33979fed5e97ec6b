// The same memory in another form; a view, not a copy.

export const dataView = ({ buffer, byteOffset, byteLength }: ArrayBufferView): DataView =>
  new DataView(buffer, byteOffset, byteLength)

/** Returns the bytes of numbers, which are little-endian on all machines that run this. */
export const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)
