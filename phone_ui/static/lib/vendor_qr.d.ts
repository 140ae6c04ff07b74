// What `/vendor/qr.js` gives: lean-qr's smaller half.

export const correction: { L: number; M: number; Q: number; H: number };
export function generate(
  text: string,
  options?: { minCorrectionLevel?: number },
): { size: number; get: (x: number, y: number) => boolean };
