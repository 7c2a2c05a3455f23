import { describe, expect, test } from 'bun:test'
import {
  findRecoveryLetters,
  findStep,
  newRecoveryCodes,
  newTotpSecret,
  planOtpAuthUri,
} from '../../src/access/mfa/code.ts'
import { markText, openSealed, sealText } from '../../src/access/seal.ts'

/** The ASCII text 12345678901234567890 in Base32 (RFC 6238, appendix B). */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const at = (seconds: number): Date => new Date(seconds * 1000)

describe('RFC 6238, appendix B, SHA-1', () => {
  /** Of the eight digits of the RFC, an authenticator app shows the last six. */
  test.each([
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ])('at %d the code is the end of %s', (seconds, digits) => {
    expect(findStep(SECRET, digits.slice(2), at(seconds))).toBe(Math.floor(seconds / 30))
  })

  test('a code holds for its step and the neighbours, and keeps its own number', () => {
    const code = '287082'
    expect(findStep(SECRET, code, at(29))).toBe(1)
    expect(findStep(SECRET, code, at(89))).toBe(1)
    expect(findStep(SECRET, code, at(91))).toBeUndefined()
    expect(findStep(SECRET, code, at(1111111109))).toBeUndefined()
  })

  test.each(['', '28708', '2870821', '28708x', '٢٨٧٠٨٢', '-28708', '2.8708', 'a'.repeat(5000)])(
    '%p is no code',
    (code) => expect(findStep(SECRET, code, at(59))).toBeUndefined(),
  )

  test('blanks within a code are no fault', () => {
    expect(findStep(SECRET, ' 287 082', at(59))).toBe(1)
  })
})

describe('secrets', () => {
  test('have 160 bits and differ', () => {
    const secrets = Array.from({ length: 20 }, newTotpSecret)
    for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(new Set(secrets).size).toBe(20)
  })

  test('are told to the app with names that may hold anything', () => {
    const uri = new URL(planOtpAuthUri(SECRET, 'Müller & Söhne', 'ana?secret=x&issuer=y'))
    expect(uri.protocol + uri.host).toBe('otpauth:totp')
    expect(decodeURIComponent(uri.pathname)).toBe('/Müller & Söhne:ana?secret=x&issuer=y')
    expect(uri.searchParams.getAll('secret')).toEqual([SECRET])
    expect(uri.searchParams.getAll('issuer')).toEqual(['Müller & Söhne'])
  })

  test('open for the place that they were sealed for, unaltered, with the same key', () => {
    const key = new Uint8Array(32).fill(7)
    const sealed = sealText(key, SECRET, 'svc_mfa.Secret/1')
    expect(sealed).not.toContain(SECRET)
    expect(sealText(key, SECRET, 'svc_mfa.Secret/1')).not.toBe(sealed)
    expect(openSealed(key, sealed, 'svc_mfa.Secret/1')).toBe(SECRET)
    expect(() => openSealed(key, sealed, 'svc_mfa.Secret/2')).toThrow()
    expect(() => openSealed(new Uint8Array(32), sealed, 'svc_mfa.Secret/1')).toThrow()
    const altered = `${sealed.startsWith('_') ? '-' : '_'}${sealed.slice(1)}`
    expect(() => openSealed(key, altered, 'svc_mfa.Secret/1')).toThrow()
    for (const cut of ['', sealed.slice(0, 20), sealed.slice(0, -1)])
      expect(() => openSealed(key, cut, 'svc_mfa.Secret/1')).toThrow()
  })

  test('marks differ by key and purpose', () => {
    const [one, other] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
    const marks = [markText(one, 'x', 'a'), markText(one, 'x', 'b'), markText(other, 'x', 'a')]
    expect(new Set(marks).size).toBe(3)
    expect(markText(one, 'x', 'a')).toBe(marks[0] ?? '')
  })
})

describe('recovery codes', () => {
  test('are ten, all different, of 80 bits each', () => {
    const codes = newRecoveryCodes()
    expect(new Set(codes).size).toBe(10)
    for (const code of codes)
      expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
  })

  test('are one however they are typed', () => {
    const letters = 'ABCD0123EFGH1456'
    for (const typed of ['ABCD-0123-EFGH-1456', 'abcdo123efghl456', ' abcd 0I23 efgh i456 '])
      expect(findRecoveryLetters(typed)).toBe(letters)
    for (const typed of [
      '',
      '123456',
      'ABCD-0123-EFGH-145',
      'ABCD-0123-EFGH-14567',
      'U'.repeat(16),
    ])
      expect(findRecoveryLetters(typed)).toBeUndefined()
  })
})
