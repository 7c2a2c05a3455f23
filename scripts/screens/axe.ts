/** Rules of WCAG 2.2 AA, asked of a page by axe-core. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Violations of the page as it is now, each as `rule: where (why)`. */
export async function findViolations(page: Page): Promise<string[]> {
  // The page's own policy lets no other script in: it runs in a world of its own.
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  })
  const options = { runOnly: { type: 'tag', values: TAGS }, resultTypes: ['violations'] }
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    contextId: executionContextId,
    awaitPromise: true,
    returnByValue: true,
    expression: `${axe.source}
      axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) =>
          id + ': ' + target.join(' ') + ' (' + failureSummary.replaceAll('\\n', ' ') + ')')))`,
  })
  await session.detach()
  if (exceptionDetails) throw new Error(`axe: ${exceptionDetails.text}`)
  return result.value as string[]
}
