import { found } from '../../program.mjs'

export const dynamic = 'force-dynamic'

export async function GET(request) {
  const path = new URL(request.url).searchParams.get('path')
  return new Response(await found(path).catch(String))
}
