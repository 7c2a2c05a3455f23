/** German, by English template. A data table; `test/kernel/messages.test.ts` keeps it complete. */
export const DE: ReadonlyMap<string, string> = new Map<string, string>([])
