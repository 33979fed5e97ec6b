// Tenant tokens: JWTs signed with the text of an API key, which restrict the searches of that key.
//
//   form · header · claims · algorithm · signature · audience
//
// is the order of the checks, and so of the refusals. The caller checks the expiry and the key's
// access, because both can change during the life of a token.
import { compactVerify, errors } from 'jose'
import { keyText } from '../../engine/index.ts'
import { decodePart } from './base64.ts'
import { type Claims, readClaims, readHeader, requireAlgorithm } from './claims.ts'
import { undecodable } from './faults.ts'

/** Returns true if a bearer token can only be a JWT. */
export const isTenantToken = (token: string): boolean =>
  token.indexOf('.') !== token.lastIndexOf('.')

/** Returns the claims of a token that was signed with the key that it names. @throws ApiError */
export async function verifyTenantToken(token: string, masterKey: string): Promise<Claims> {
  const signatureAt = token.lastIndexOf('.') + 1
  const claimsAt = token.lastIndexOf('.', signatureAt - 2) + 1
  const algorithm = readHeader(decodePart(token.slice(0, claimsAt - 1)))
  const claims = readClaims(decodePart(token.slice(claimsAt, signatureAt - 1)))
  requireAlgorithm(algorithm)
  decodePart(token.slice(signatureAt))
  await verifySignature(token, algorithm, keyText(claims.apiKeyUid, masterKey))
  if (claims.hasAudience) throw undecodable('InvalidAudience')
  return claims
}

async function verifySignature(token: string, algorithm: string, secret: string): Promise<void> {
  try {
    await compactVerify(token, Buffer.from(secret), { algorithms: [algorithm] })
  } catch (error) {
    // Other objections of the library, such as an unknown extension that the header calls critical.
    if (!(error instanceof errors.JOSEError)) throw error
    throw undecodable('InvalidSignature')
  }
}
