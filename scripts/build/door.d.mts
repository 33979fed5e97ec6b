// What vitest.config.ts and tests need of door.mjs.
export function doorTable(root: string): Map<string, string>
export function straightened(text: string, file: string, table: Map<string, string>): string
export function doorOfTests(root: string): {
  name: string
  enforce: 'pre'
  transform(text: string, id: string): { code: string; map: null } | null
}
