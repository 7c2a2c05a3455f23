/** The signals that ask a server to stop. */

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/**
 * Resolves at the first SIGTERM or SIGINT. From then on nobody listens for them, so that a second
 * one ends the process at once, as the system does.
 */
export function receiveSignal(): Promise<void> {
  return new Promise((resolve) => {
    const receive = (): void => {
      for (const signal of SIGNALS) process.off(signal, receive)
      resolve()
    }
    for (const signal of SIGNALS) process.on(signal, receive)
  })
}
