/** Texts for the clipboard of the platform. */

/**
 * Copies a text. Without https a page has no clipboard, but it may answer the browser's own
 * command. @throws Error where the browser refuses both
 */
export async function copyText(text: string): Promise<void> {
  if (isSecureContext) {
    await navigator.clipboard.writeText(text)
    return
  }
  const answer = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
  }
  document.addEventListener('copy', answer)
  const isCopied = document.execCommand('copy')
  document.removeEventListener('copy', answer)
  if (!isCopied) throw new Error('The browser copies nothing')
}
