/** The code that chooses the camera runs in a page's own documents: the page can't get at it. */
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { preferCamera } from '../../../src/main/shell/preferred-camera.ts'

/** A page's environment, with the parts of the browser's device API that are looked at before anyone asks. */
const WORLD = `
  class MediaDevices { getUserMedia() {} enumerateDevices() {} }
  class MediaDeviceInfo { get kind() {} get label() {} get deviceId() {} }
  class MediaStream { getTracks() {} }
  class MediaStreamTrack { get kind() {} get label() {} stop() {} applyConstraints() {} }
  class DOMException { get name() {} }
  Object.assign(globalThis, { MediaDevices, MediaDeviceInfo, MediaStream, MediaStreamTrack, DOMException, structuredClone: (value) => value })
`

test('traps on Object.prototype can’t reach the code that chooses the camera', () => {
  const seen = runInNewContext(`'use strict'; ${WORLD}; (${preferCamera})('Camera', 'other');
    const seen = [];
    const asked = MediaDevices.prototype.getUserMedia;
    for (const trap of ['get', 'has', 'getPrototypeOf', 'ownKeys', 'getOwnPropertyDescriptor']) {
      Object.defineProperty(Object.prototype, trap, { configurable: true, get() { seen.push(trap); return undefined } });
    }
    asked.name; 'name' in asked; Object.getPrototypeOf(asked); Object.keys(asked);
    Object.prototype.hasOwnProperty.call(asked, 'name');
    seen`)
  expect([...seen]).toEqual([])
})
