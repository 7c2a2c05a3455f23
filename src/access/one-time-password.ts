/** Passwords that are told once and must be changed at the first sign-in. */
import { newSecret } from '../kernel/ids.ts'

const RANDOM_BYTES = 12

/** 16 characters, 96 bits. */
export const newOneTimePassword = (): string => newSecret(RANDOM_BYTES)
