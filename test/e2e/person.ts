/** What a signer does with the screen in their hands, and staff with the same screen, by the names they read there. */
import { expect, type Locator, type Page } from 'playwright/test'
import type { Launched } from './launch.ts'

/** The clerk's own PIN in all tests. */
export const PIN = '4826'

export type PersonSide = ReturnType<typeof personAt>

/**
 * Returns what is done on the person's side of a session, in the page that shows it: the main window's, or the second
 * display's.
 */
export function personAt(app: Launched, page: Page) {
  const button = (name: string | RegExp) => page.getByRole('button', { name })
  const heading = (name: string | RegExp) => page.getByRole('heading', { name })

  /** Presses a button that leads to a signing page. Resolves to that page. */
  async function toSigningPage(pressed: Locator): Promise<Page> {
    await pressed.click()
    const opened = await app.waitForView(/\/sign\//)
    // The application may know the page's address a moment earlier.
    await opened.waitForURL(/\/sign\//)
    return opened
  }

  return {
    page,
    button,
    heading,

    /** From the handover screen to the signing page. */
    begin: (name: string): Promise<Page> => toSigningPage(button(`I’m ${name} – start`)),

    /** From the result of one document to the signing page of the same person's next. */
    continueTo: (document: string): Promise<Page> => toSigningPage(button(`Continue to ${document}`)),

    /** Presses Stop, and confirms it. */
    async stop(): Promise<void> {
      await button('Stop').click()
      await button('Stop and close').click()
    },

    /** Staff enters their PIN, on whichever screen asks for it. */
    async unlock(pin = PIN): Promise<void> {
      // Another screen may appear meanwhile, such as one that says why; it has a pad of its own, which is still empty.
      await expect(async () => {
        await page.getByLabel('Staff PIN').fill(pin)
        await button('Unlock').click({ timeout: 5000 })
      }).toPass()
    },

    /** From a document that the service has no signature for back to its signing page. */
    openAgain: (): Promise<Page> => toSigningPage(button('Open again')),

    /** From one person's thank-you screen to the next person's handover. */
    async handOn(): Promise<void> {
      await button('Pass the screen to the next person').click()
    },

    /** Says that they have finished, and confirms it, so that the service is asked. */
    async finish(): Promise<void> {
      await button('I’ve finished').click()
      await button('Yes, I’ve signed').click()
    },

    /** The person gives the screen back, and staff brings up the PIN pad and takes it. */
    async giveBack(): Promise<void> {
      // While the service is being asked, the heading is longer than this.
      await heading(/^Thank you$|was interrupted/).waitFor()
      await button('Staff').click()
      await this.unlock()
    }
  }
}

/** Starts the camera on a practice signing page; staff decides whether it may. */
export async function startCamera(page: Page): Promise<void> {
  await page.getByTestId('camera-start').click()
}

/** Confirms by video on a practice signing page, once the camera shows a picture. */
export async function confirmByVideo(page: Page): Promise<void> {
  await page.getByTestId('camera-take').click()
  await page.getByTestId('camera-still').waitFor()
  await page.getByTestId('video-confirm').check()
  await page.getByTestId('video-continue').click()
}
