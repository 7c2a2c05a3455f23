/** An authenticator app for tests: sets a second factor up for a user and knows its codes. */
import { generateSync } from 'otplib'
import { type Answer, type IdentityServer, PASSWORD, type Signed } from './identity.ts'

const AUTH = '/api/v1/auth'

/** The answer to a sign-in of a user with a second factor. */
export interface Challenge {
  MfaRequired: true
  ChallengeId: string
  Methods: string[]
  ExpiresIn: number
}

/** The code of a secret at an instant, or so many steps of 30 seconds beside it. */
export const codeAt = (secret: string, now: Date, steps = 0): string =>
  generateSync({ secret, epoch: Math.floor(now.getTime() / 1000) + steps * 30 })

/** A code that is right neither now nor in the next minutes. */
export function wrongCodeAt(secret: string, now: Date): string {
  const right = new Set([-2, -1, 0, 1, 2, 3].map((steps) => codeAt(secret, now, steps)))
  return ['000000', '111111', '222222', '333333', '444444', '555555', '666666'].find(
    (code) => !right.has(code),
  ) as string
}

/** A user whose second factor is confirmed. */
export interface Enrolled {
  secret: string
  recovery: string[]
  signed: Signed
  /** The code of the server's clock, or so many steps beside it. */
  code(steps?: number): string
  wrong(): string
  login(headers?: Record<string, string>): Promise<Answer>
  /** Signs in by password and gives the id of the challenge. */
  challenge(): Promise<string>
  verify(challenge: string, code: string, headers?: Record<string, string>): Promise<Answer>
}

/**
 * Sets a second factor up and confirms it; the code of the confirmation's step is used up, so the
 * clock then passes two steps.
 */
export async function enrol(server: IdentityServer, userName: string): Promise<Enrolled> {
  const signed = await server.signIn(userName)
  const setup = await server.post(`${AUTH}/mfa/setup`, { Password: PASSWORD }, signed.AccessToken)
  const { Secret: secret } = setup.body.data as { Secret: string }
  const code = (steps = 0) => codeAt(secret, server.clock.now(), steps)
  const confirmed = await server.post(`${AUTH}/mfa/confirm`, { Code: code() }, signed.AccessToken)
  const { RecoveryCodes } = confirmed.body.data as { RecoveryCodes: string[] }
  server.clock.pass(60_000)
  const login = (headers?: Record<string, string>) =>
    server.post(`${AUTH}/login`, { UserName: userName, Password: PASSWORD }, undefined, headers)
  return {
    secret,
    recovery: RecoveryCodes,
    signed,
    code,
    wrong: () => wrongCodeAt(secret, server.clock.now()),
    login,
    challenge: async () => {
      const { body } = await login()
      return (body.data as Challenge).ChallengeId
    },
    verify: (ChallengeId, Code, headers) =>
      server.post(`${AUTH}/mfa/verify`, { ChallengeId, Code }, undefined, headers),
  }
}
