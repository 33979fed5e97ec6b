// Files that may decide by the text of a message, with the reason: a library has no code for it.

export const DECIDE_BY_TEXT: Readonly<Record<string, string>> = {
  'engine/ai/models/onnx-runtime.ts': 'Node names the missing package in the message alone',
  'engine/ai/template/liquid.ts': 'liquidjs has no codes',
  'engine/backup/archive/read.ts': 'tar-stream has no code for an archive that ends early',
  'server/config/config-file.ts': 'the parser of TOML puts its reason behind a fixed beginning',
  'server/page/manage/network-model.ts': 'the API reports the progress of a change as a text',
  'server/unpack/problems.ts': 'zlib has a single code for all corruption',
}
