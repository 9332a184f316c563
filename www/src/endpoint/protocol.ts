// Messages between the page and the frame.

export interface FrameRequest {
  url: string;
  key: string;
  body: object;
}

export type FrameAnswer = { text: string } | { error: string };
