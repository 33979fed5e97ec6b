// A local model cannot be used: it is missing, damaged, or of a kind that does not run here.

/** `message` completes a sentence of the caller. */
export class ModelFault extends Error {
  override readonly name = 'ModelFault'
}
