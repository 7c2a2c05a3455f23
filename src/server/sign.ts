/** Signs access tokens with the private key of this installation (src/access/README.md, Tokens). */
import { jwt } from '@elysiajs/jwt'
import { ACCESS_TOKEN_TYPE } from '../access/token.ts'
import type { SigningKeys } from '../access/keys.ts'
import type { SignToken } from '../access/token.ts'

/**
 * A signer for the key that is current now. The plugin is given the private `CryptoKey`, never a
 * text: from a PEM string it would take HMAC tokens that were forged with the public key.
 */
export function openSigner(keys: SigningKeys): SignToken {
  const plugin = jwt({
    secret: keys.privateKey,
    alg: 'RS256',
    kid: keys.kid,
    typ: ACCESS_TOKEN_TYPE,
  })
  return (claims) => plugin.decorator.jwt.sign({ ...claims })
}
