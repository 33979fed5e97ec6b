// The part of `onnxruntime-node` that is used here. The package is not a dependency, because it is
// large and few models need it. Operators install it beside the server; it is loaded with the first
// ONNX model.
import { createRequire } from 'node:module'
import { ModelFault } from './model-fault.ts'

const PACKAGE = 'onnxruntime-node'

export type OnnxTensor = {
  readonly type: string
  readonly dims: readonly number[]
  readonly data: ArrayLike<unknown>
}

export type OnnxSession = {
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
  run(inputs: { readonly [name: string]: OnnxTensor }): Promise<{
    readonly [name: string]: OnnxTensor
  }>
  release(): Promise<void>
}

export type OnnxRuntime = {
  readonly InferenceSession: {
    create(model: Uint8Array, options: { readonly intraOpNumThreads: number }): Promise<OnnxSession>
  }
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => OnnxTensor
}

/** @throws ModelFault if the package is not installed or does not run on this machine */
export async function loadOnnxRuntime(): Promise<OnnxRuntime> {
  try {
    // Compiled programs have no `import()`; the package is CommonJS.
    return createRequire(import.meta.url)(PACKAGE) as OnnxRuntime
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isMissing = code === 'MODULE_NOT_FOUND' && message.includes(PACKAGE)
    const how = `\`npm install --ignore-scripts ${PACKAGE}\` in the folder of the server`
    throw new ModelFault(
      isMissing
        ? `the model has no \`model.safetensors\`, and its \`model.onnx\` needs the package ` +
            `\`${PACKAGE}\`, which is not installed: ${how}`
        : `the package \`${PACKAGE}\` cannot be loaded: ${message}`,
    )
  }
}
