export function commitOf(
  root: string,
  environment?: { readonly [variable: string]: string | undefined },
): { readonly sha: string; readonly date: string | null } | null
