import { render } from "preact";
import { Peers } from "./Peers";

render(<Peers />, document.getElementById("app")!);
