export function compileSources(root: string): Promise<string>
