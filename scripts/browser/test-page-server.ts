// Serves a test page on a port of this machine: a bundled script inside a short HTML document.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { type LoopbackServer, startLoopback } from '../../server/testing/test-loopback.ts'

/**
 * `script`: a file of this folder, or its text. `define`: names that the bundler replaces by these
 * texts.
 */
export async function servePage(
  script: string | { readonly text: string },
  body: string,
  define: { readonly [name: string]: string },
): Promise<LoopbackServer> {
  const entry =
    typeof script === 'string'
      ? { entryPoints: [fileURLToPath(new URL(script, import.meta.url))] }
      : { stdin: { contents: script.text, resolveDir: import.meta.dirname } }
  const built = await build({
    ...entry,
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    mainFields: ['browser', 'module', 'main'],
    define: {
      'process.env.NODE_ENV': '"production"',
      ...Object.fromEntries(
        Object.entries(define).map(([name, text]) => [name, JSON.stringify(text)]),
      ),
    },
    logLevel: 'error',
  })
  const code = built.outputFiles[0]!.contents
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
<link rel="icon" href="data:,">${body}<script src="/page.js"></script></html>`
  return startLoopback((request, response) => {
    const isScript = request.url === '/page.js'
    const type = isScript ? 'text/javascript' : 'text/html; charset=utf-8'
    response.setHeader('content-type', type).end(isScript ? code : html)
  })
}
